# The modules say which releases of their providers they need.

terraform {
  required_version = ">= 1.11.0, != 1.16.0"
}
