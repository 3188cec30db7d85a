# An identity provider on Cloud Run.

variable "project_id" {
  description = "Project to deploy into."
  type        = string
}

provider "google" {
  project = var.project_id
  region  = "europe-west1"
}

module "sign_in" {
  source = "../../modules/serverless"

  project_id          = var.project_id
  region              = "europe-west1"
  application_version = "2026.8.7"
  database_version    = 17
}

output "first_sign_in" {
  description = "Where to sign in first, and how."
  value       = module.sign_in.first_sign_in
}
