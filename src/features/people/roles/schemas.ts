import Type from 'typebox';
import { Role } from '../../../model/role.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { RoleSchema } from '../users/schemas.ts';
import { RoleFields } from './commands.ts';

/** Contract: permissions as roles list them. */
const PermissionSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the permission; other versions may use another id' }),
    name: Type.String(),
    displayName: Type.String(),
    type: Type.String({ description: 'Scope: root, project or environment' }),
    environment: Type.Optional(Type.String()),
  },
  { $id: 'adminPermission' },
);

export const PermissionListSchema = Type.Object(
  {
    version: Type.Integer(),
    permissions: Type.Object({
      root: Type.Array(PermissionSchema),
      project: Type.Array(PermissionSchema),
      environments: Type.Array(Type.Object({ name: Type.String(), permissions: Type.Array(PermissionSchema) })),
    }),
  },
  { $id: 'adminPermissions' },
);

export const RoleListSchema = Type.Object(
  { version: Type.Integer(), roles: Type.Array(RoleSchema) },
  { $id: 'rolesWithVersion' },
);

export const RoleWithVersionSchema = Type.Object(
  { version: Type.Integer(), roles: RoleSchema },
  { $id: 'roleWithVersion' },
);

export const RoleWithPermissionsSchema = Type.Object(
  {
    ...answeredFields(Role, 'id', 'type', 'name', 'description'),
    permissions: Type.Array(PermissionSchema),
  },
  { $id: 'roleWithPermissions' },
);

export const RoleBody = Type.Object(RoleFields, { $id: 'createRoleWithPermissions' });

export const ValidateRoleBody = Type.Object({ name: RoleFields.name }, { $id: 'validateRole' });
