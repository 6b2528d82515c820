import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * `npm run update-key -- FILE`: creates the key pair for update files. The private key is written to FILE, which belongs outside the repository; the
 * public key to `update-key.pem` in the repository, from where it is built into every executable.
 */

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("Name the file for the private key, outside the repository.");
  process.exit(2);
}
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
const publicFile = join(import.meta.dir, "..", "..", "..", "update-key.pem");
writeFileSync(publicFile, publicKey.export({ type: "spki", format: "pem" }));
console.log(`The private key is ${file}; keep it safe. The public key is ${publicFile}.`);
