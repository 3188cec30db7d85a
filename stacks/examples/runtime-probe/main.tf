# Fails if the service that runs Terraform lacks what the scripts of the folders need, and says what.

terraform {
  required_version = ">= 1.11.0, != 1.16.0"
}

resource "terraform_data" "probe" {
  # At each apply, because the service may change what it has.
  triggers_replace = { at = timestamp() }

  provisioner "local-exec" {
    command = "sh \"${path.module}/probe.sh\""
  }
}
