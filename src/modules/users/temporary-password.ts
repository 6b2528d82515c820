/** Characters of a temporary password, without similar-looking ones, because it is read from a screen or note and typed. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Returns 16 random characters from an alphabet of 31, about 79 bits, in groups: `k7mf-92qx-tdh4-w3ra`. */
export function createTemporaryPassword(): string {
  const characters: string[] = [];
  while (characters.length < GROUPS * GROUP_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    const index = byte & 31;
    const character = ALPHABET[index]; // the 32nd is drawn again, so that all are equally likely
    if (character !== undefined) characters.push(character);
  }
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(""),
  );
  return groups.join("-");
}
