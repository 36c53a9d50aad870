data "unleash_role" "viewer" {
  name = "Viewer"
}

data "unleash_role" "editor" {
  name = "Editor"
}

data "unleash_role" "owner" {
  name = "Owner"
}

# A role of the whole instance.
resource "unleash_role" "planner" {
  name        = "Planner"
  type        = "root-custom"
  description = "Creates projects and segments"
  permissions = [
    { name = "CREATE_PROJECT" },
    { name = "CREATE_SEGMENT" },
  ]
}

# A role in a project. Permissions of an environment name it.
resource "unleash_role" "releaser" {
  name        = "Releaser"
  type        = "custom"
  description = "Creates flags and switches them in staging"
  permissions = [
    { name = "CREATE_FEATURE" },
    { name = "UPDATE_FEATURE_ENVIRONMENT", environment = unleash_environment.staging.name },
  ]
}

# Without a password, the console shows a link with which Ada sets one.
resource "unleash_user" "ada" {
  name       = "Ada"
  email      = "ada@example.com"
  root_role  = data.unleash_role.viewer.id
  send_email = false
}

resource "unleash_group" "checkout_team" {
  name        = "Checkout team"
  description = "Builds the payment pages"
  users       = [unleash_user.ada.id]
}

resource "unleash_project_access" "checkout" {
  project = unleash_project.checkout.id
  roles = [
    {
      role   = data.unleash_role.owner.id
      users  = [unleash_user.ada.id]
      groups = []
    },
    {
      role   = unleash_role.releaser.id
      users  = []
      groups = [unleash_group.checkout_team.id]
    },
  ]
}
