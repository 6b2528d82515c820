/**
 * Returns an email address as it is compared and stored. Only ASCII letters are lowered: `toLowerCase` also turns characters such as the Kelvin
 * sign (U+212A) into ASCII letters, so somebody else's address would become that of a user.
 */
export const normalizeEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
