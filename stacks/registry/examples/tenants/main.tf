# An identity provider on Cloud Run for each tenant.

variable "tenants" {
  description = "Project of each tenant, by its name."
  type        = map(object({ project_id = string, protected = optional(bool, true) }))
}

provider "google" {
  region = "europe-west1"
}

module "sign_in" {
  source   = "../../modules/serverless"
  for_each = var.tenants

  project_id          = each.value.project_id
  tenant_id           = each.key
  region              = "europe-west1"
  deletion_protection = each.value.protected
  application_version = "2026.8.7"
  database_version    = 17
}

output "first_sign_in" {
  description = "Where to sign in first, and how, by tenant."
  value       = { for tenant, deployment in module.sign_in : tenant => deployment.first_sign_in }
}
