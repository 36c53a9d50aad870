# Flags from a file, without a provider. The import runs when the file changes. It needs curl, and the token in BURGEE_TOKEN.
terraform {
  required_version = ">= 1.5"
}

variable "burgee_url" {
  description = "Where Burgee listens, without /api."
  type        = string
  default     = "http://localhost:4242"
}

variable "project" {
  type    = string
  default = "default"
}

variable "environment" {
  type    = string
  default = "development"
}

locals {
  import = jsonencode({
    project     = var.project
    environment = var.environment
    data        = jsondecode(file("${path.module}/flags.json"))
  })
}

resource "terraform_data" "flags" {
  triggers_replace = [var.burgee_url, sha256(local.import)]

  provisioner "local-exec" {
    command = <<-SHELL
      printf '%s' "$IMPORT" | curl --silent --show-error --fail-with-body --data-binary @- \
        -H "authorization: $BURGEE_TOKEN" -H 'content-type: application/json' "$URL/api/admin/features-batch/import"
    SHELL
    environment = {
      URL    = var.burgee_url
      IMPORT = local.import
    }
  }
}
