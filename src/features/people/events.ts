import type { EventWords } from '../../model/event.ts';

/** The event types that this feature records, each with its title and its sentence for people. */
export const PEOPLE_EVENTS = {
  'role-created': ['Role created', 'created the role {what}'],
  'role-updated': ['Role changed', 'changed the role {what}'],
  'role-deleted': ['Role deleted', 'deleted the role {what}'],
  'user-created': ['User created', 'created the user {what}'],
  'user-updated': ['User changed', 'changed the user {what}'],
  'user-deleted': ['User deleted', 'deleted the user {what}'],
  'group-created': ['Group created', 'created the group {what}'],
  'group-updated': ['Group changed', 'changed the group {what}'],
  'group-deleted': ['Group deleted', 'deleted the group {what}'],
  'group-user-added': ['User added to group', 'put a user into the group {what}'],
  'group-user-removed': ['User taken out of group', 'took a user out of the group {what}'],
  'pat-created': ['Personal token created', 'created the token {what}'],
  'pat-deleted': ['Personal token deleted', 'deleted the token {what}'],
  'service-account-created': ['Service account created', 'created the service account {what}'],
  'service-account-deleted': ['Service account deleted', 'deleted the service account {what}'],
  'service-account-updated': ['Service account changed', 'changed the service account {what}'],
} as const satisfies EventWords;

type Entries = typeof PEOPLE_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Entries {}
}
