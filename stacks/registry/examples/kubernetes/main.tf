# An identity provider on GKE Autopilot.

variable "project_id" {
  description = "Project to deploy into."
  type        = string
}

provider "google" {
  project = var.project_id
  region  = "europe-west1"
}

ephemeral "google_client_config" "caller" {}

provider "kubernetes" {
  host                   = module.sign_in.cluster_endpoint
  cluster_ca_certificate = module.sign_in.cluster_ca_certificate
  token                  = ephemeral.google_client_config.caller.access_token
  # GKE adds these to objects; without this, every plan would show them.
  ignore_annotations = ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"]
}

module "sign_in" {
  source = "../../modules/kubernetes"

  project_id          = var.project_id
  region              = "europe-west1"
  application_version = "2026.8.7"
  database_version    = 17
}

output "first_sign_in" {
  description = "Where to sign in first, and how."
  value       = module.sign_in.first_sign_in
}
