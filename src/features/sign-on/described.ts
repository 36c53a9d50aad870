import type { Glossary } from '../../http/described.ts';
import type { Examples } from '../../http/examples.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'changePasswordByLink.token': 'Text of the link that was sent',
  'login.password': 'The password',
  'password.password': 'A password to judge',
  'publicSignupToken.role': 'The root role of those who come in with it',
  'publicSignupToken.enabled': 'Whether it lets anybody in',
  'resetPassword.resetPasswordUrl': 'Address where the user sets a new password',
  'tokenUser.token': 'Text of the link',
  'tokenUser.role': 'The role they have',
  'samlCallback.SAMLResponse': 'What the identity provider says, signed',
  'samlCallback.RelayState': 'Which sign-on it is the answer to',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  'addPublicSignupTokenUser.email': 'ola@example.com',
  createPublicSignupToken: { name: 'Everybody at the summer school', expiresAt: '2099-01-01T00:00:00Z' },
  'changeUserPassword.id': 2,
  login: { username: 'kari', password: 'the Passphrase before, of 2025!' },
};
