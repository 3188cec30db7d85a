# A lab for Migration Center, to be destroyed after the session.

variable "project_id" {
  description = "Project to deploy into."
  type        = string
}

provider "google" {
  project = var.project_id
  region  = "europe-west1"
}

# Creates the user for an inventory of AWS, with an administrator's key. Without an inventory, as here, it makes no call.
provider "aws" {
  region                      = "us-east-1"
  access_key                  = "none"
  secret_key                  = "none"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
}

module "lab" {
  source    = "../../modules/assessment-lab"
  providers = { aws.lab_cloudb_user_provider = aws }

  project_id = var.project_id
  region     = "europe-west1"
}

output "windows_vm" {
  description = "Name of the Windows VM."
  value       = module.lab.windows_vm_name
}
