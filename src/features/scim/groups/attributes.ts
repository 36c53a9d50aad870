import { Attributes, GROUP_ATTRIBUTES } from '../protocol/attributes.ts';
import { SCHEMA } from '../protocol/protocol.ts';

export const GROUPS = new Attributes(SCHEMA.group, GROUP_ATTRIBUTES);
