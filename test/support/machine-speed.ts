/** Milliseconds of processor time that the reference takes on a machine for which limits of time are meant as they stand. */
const REFERENCE_MS = 20;
const ROUNDS = 5;

const text = JSON.stringify(
  Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key ${index}`, [index / 7, `${index}`]])),
);

function referenceMs(): number {
  const from = process.cpuUsage();
  JSON.stringify(JSON.parse(text));
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** Returns the factor by which this machine is currently slower than such a machine; 1 if it is faster. */
export function slowness(): number {
  const fastest = Math.min(...Array.from({ length: ROUNDS }, referenceMs));
  return Math.max(1, fastest / REFERENCE_MS);
}
