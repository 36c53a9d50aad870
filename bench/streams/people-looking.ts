import { SESSION_COOKIE } from '../../src/http/session-cookie.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import { hashedSecret } from '../../src/model/token-secret.ts';
import type { Draft } from '../../src/state/draft.ts';

const AT = '2026-01-01T00:00:00.000Z';
const FOREVER = '2100-01-01T00:00:00.000Z';
const FIRST_ID = 1_000;
const SECRET_PROJECT = 'bench-private';

/** One in five is a Viewer, and every second of these has a role in a private project; all others are Editors, who see everything. */
const VIEWERS_EVERY = 5;

const secretOf = (index: number) => `bench-session-${String(index).padStart(32, '0')}`;

/** The cookie of the session of a person. */
export const cookieOf = (index: number): string => `${SESSION_COOKIE}=${secretOf(index)}`;

/** Puts people who are signed on into the state. */
export const putPeople = (count: number) => (draft: Draft) => {
  const project = draft.get('projects', 'default');
  if (project) draft.put('projects', { ...project, id: SECRET_PROJECT, name: SECRET_PROJECT, mode: 'private' });
  for (let index = 0; index < count; index++) {
    const id = FIRST_ID + index;
    const isViewer = index % VIEWERS_EVERY === 0;
    const names = { name: `Person ${index}`, email: `person-${index}@example.org`, username: null };
    draft.put('users', {
      id,
      accountType: 'User',
      ...names,
      passwordHash: null,
      createdAt: AT,
      seenAt: null,
      loginAttempts: 0,
      rootRole: isViewer ? ROLE_ID.viewer : ROLE_ID.editor,
    });
    draft.put('sessions', {
      secret: hashedSecret(secretOf(index)),
      userId: id,
      createdAt: AT,
      expiresAt: FOREVER,
      userAgent: 'bench',
    });
    const isMember = isViewer && index % (2 * VIEWERS_EVERY) === 0;
    if (!isMember) continue;
    const roles = [ROLE_ID.member];
    draft.put('projectRoles', { project: SECRET_PROJECT, holder: 'user', holderId: id, roles, createdAt: AT });
  }
};
