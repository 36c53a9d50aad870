resource "unleash_environment" "staging" {
  name = "staging"
  type = "preproduction"
}

resource "unleash_project" "checkout" {
  id          = "checkout"
  name        = "Checkout"
  description = "Flags of the payment pages"
  mode        = "protected"

  # A role that is assigned cannot be deleted. So `destroy` deletes the project first, and the access with it.
  depends_on = [unleash_role.releaser, unleash_group.checkout_team]
}

# Changes in staging need the approval of one other person.
resource "unleash_project_environment" "checkout_staging" {
  project_id              = unleash_project.checkout.id
  environment_name        = unleash_environment.staging.name
  enabled                 = true
  change_requests_enabled = true
  required_approvals      = 1
}

resource "unleash_context_field" "country" {
  name        = "country"
  description = "Country of the shop"
  stickiness  = true
  legal_values = [
    { value = "de", description = "Germany" },
    { value = "fr" },
  ]
}
