terraform {
  required_version = ">= 1.5"
  required_providers {
    unleash = {
      source  = "Unleash/unleash"
      version = ">= 3.4.3, < 4.0.0"
    }
  }
}

variable "burgee_url" {
  description = "Where Burgee listens, without /api."
  type        = string
  default     = "http://localhost:4242"
}

variable "burgee_token" {
  description = "An admin token, or a personal token of an admin."
  type        = string
  sensitive   = true
}

variable "tokens_end" {
  description = "When the tokens of this plan expire."
  type        = string
  default     = "2099-01-01T00:00:00Z"
}

provider "unleash" {
  base_url      = var.burgee_url
  authorization = var.burgee_token
}
