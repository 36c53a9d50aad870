import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'changePasswordByLink.token': 'Token in the link',
  'login.password': 'The password',
  'password.password': 'A password to judge',
  'publicSignupToken.role': 'The root role of users who sign up with the link',
  'publicSignupToken.enabled': 'Whether users can sign up with the link',
  'resetPassword.resetPasswordUrl': 'Address where the user sets a new password',
  'tokenUser.token': 'Token in the link',
  'tokenUser.role': 'The role of the user',
  'samlCallback.SAMLResponse': 'The signed response of the identity provider',
  'samlCallback.RelayState': 'Sent by the identity provider; not used',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  'addPublicSignupTokenUser.email': 'ola@example.com',
  createPublicSignupToken: { name: 'Everybody at the summer school', expiresAt: '2099-01-01T00:00:00Z' },
  'changeUserPassword.id': 2,
  login: { username: 'kari', password: 'the Passphrase before, of 2025!' },
};
