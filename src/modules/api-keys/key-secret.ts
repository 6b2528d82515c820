const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "lsk_";
/** 40 characters from an alphabet of 62: 238 bits. */
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = 10;
/** Largest multiple of 62 in a byte; larger bytes are drawn again, so that all characters are equally likely. */
const FAIR_BYTES = 248;

const shape = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? "") + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** Returns `lsk_`, 40 random characters and a checksum, so that secret scanners recognize keys and typos need no look-up. */
export function createKeySecret(): string {
  let random = "";
  while (random.length < RANDOM_LENGTH)
    for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH - random.length)))
      if (byte < FAIR_BYTES) random += ALPHABET[byte % ALPHABET.length] ?? "";
  return `${PREFIX}${random}${checksum(random)}`;
}

/** Returns whether a bearer credential has the form of an API key rather than an access token. */
export const isKeyFormat = (credential: string): boolean => credential.startsWith(PREFIX);

export function isWellFormedKey(credential: string): boolean {
  if (!shape.test(credential)) return false;
  const random = credential.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return credential.endsWith(checksum(random));
}

/** Returns the part of a key that may be shown later, so that users can identify keys. */
export const hintOf = (secret: string): string => `${secret.slice(0, HINT_LENGTH)}…`;
