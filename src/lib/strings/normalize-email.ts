/**
 * Returns the compared and stored form of an email address. Lowers only ASCII letters: `toLowerCase` also maps characters such as the Kelvin sign
 * (U+212A) to ASCII letters, so the address of a stranger could become the address of a user.
 */
export const normalizeEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
