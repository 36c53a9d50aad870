import Type from 'typebox';
import { PASSWORD_LENGTH_MAX } from './password.ts';

/** What somebody gives for a password: whether it is strong enough is told after it was looked at. */
export const Password = Type.String({ maxLength: PASSWORD_LENGTH_MAX });

export const ValidatePasswordBody = Type.Object({ password: Password }, { $id: 'validatePassword' });

/** The text of a link's token. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 200 });
