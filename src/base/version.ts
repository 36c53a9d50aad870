/** The version in `package.json`; a test checks that both are equal. */
export const VERSION = '0.1.0';
