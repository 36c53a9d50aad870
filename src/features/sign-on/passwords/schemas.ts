import Type from 'typebox';
import { Password } from '../../people/passwords/password.ts';

export const ValidatePasswordBody = Type.Object({ password: Password }, { $id: 'validatePassword' });

/** The token in a link to set a password or to sign up. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 200 });

/** A text with which a person is named: an email or a username. */
export const LoginName = Type.String({ minLength: 1, maxLength: 255 });
