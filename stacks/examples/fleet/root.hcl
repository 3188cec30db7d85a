locals {
  root   = get_parent_terragrunt_dir()
  tenant = basename(path_relative_to_include())
  fleet  = jsondecode(file("${get_parent_terragrunt_dir()}/fleet.json"))
}

terraform {
  source = "${local.root}/${local.fleet.tenants[local.tenant].folder}"

  extra_arguments "state" {
    commands = ["init"]
    arguments = [
      "-backend-config=bucket=${local.fleet.state_bucket}",
      "-backend-config=prefix=tenants/${local.tenant}",
    ]
  }

  extra_arguments "inputs" {
    commands = get_terraform_commands_that_need_vars()
    required_var_files = [
      "${local.root}/rings/${local.fleet.tenants[local.tenant].ring}.tfvars.json",
      "${local.root}/tenants/${local.tenant}.tfvars.json",
    ]
  }

  extra_arguments "account" {
    commands = concat(["init"], get_terraform_commands_that_need_vars())
    env_vars = {
      GOOGLE_APPLICATION_CREDENTIALS = "${get_env("HOME")}/credentials/${local.tenant}.json"
    }
  }
}
