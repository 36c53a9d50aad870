import Type from 'typebox';
import { UrlSafeName } from '../../model/primitives.ts';

/** What the `validate` paths of several resources take: a name that somebody is about to use. */
export const NameBody = Type.Object({ name: UrlSafeName }, { $id: 'name' });
