/** One of many ways to spoil a message: a byte, a bit, an end, a part twice, a field of ones. */
export function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  const mutated = Uint8Array.from(bytes);
  const at = Math.floor(random() * mutated.length);
  const kind = random();
  if (kind < 0.3) mutated[at] = Math.floor(random() * 256);
  else if (kind < 0.5) mutated[at] = (mutated[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  else if (kind < 0.65) return mutated.subarray(0, at);
  else if (kind < 0.8)
    return Buffer.concat([mutated.subarray(0, at), mutated.subarray(Math.floor(random() * at))]);
  else if (kind < 0.9) mutated.fill(255, at, at + 4);
  return mutated;
}
