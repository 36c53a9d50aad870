# For SDKs on servers.
resource "unleash_api_token" "checkout_server" {
  token_name  = "checkout-server"
  type        = "client"
  environment = unleash_project_environment.checkout_staging.environment_name
  projects    = [unleash_project.checkout.id]
  expires_at  = var.tokens_end
}

# For SDKs in browsers and apps.
resource "unleash_api_token" "checkout_browser" {
  token_name  = "checkout-browser"
  type        = "frontend"
  environment = unleash_project_environment.checkout_staging.environment_name
  projects    = [unleash_project.checkout.id]
  expires_at  = var.tokens_end
}

# For a program that uses the admin API.
resource "unleash_service_account" "pipeline" {
  name      = "Pipeline"
  username  = "pipeline"
  root_role = data.unleash_role.editor.id
}

# The secret is known only in the run that creates it.
resource "unleash_service_account_token" "pipeline" {
  service_account_id = unleash_service_account.pipeline.id
  description        = "pipeline"
  expires_at         = var.tokens_end
}

output "checkout_server_token" {
  value     = unleash_api_token.checkout_server.secret
  sensitive = true
}
