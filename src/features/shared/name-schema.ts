import Type from 'typebox';
import { UrlSafeName } from '../../model/primitives.ts';

/** The body of the `validate` endpoints of several resources: a name that the client wants to use. */
export const NameBody = Type.Object({ name: UrlSafeName }, { $id: 'name' });
