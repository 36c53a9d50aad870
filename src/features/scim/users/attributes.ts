import { Attributes, USER_ATTRIBUTES } from '../protocol/attributes.ts';
import { SCHEMA } from '../protocol/protocol.ts';

export const USERS = new Attributes(SCHEMA.user, USER_ATTRIBUTES);
