import type { BunPlugin } from "bun";

/*
 * The Kafka client checks its options by schemas, which costs 52 ms and 48 MB when it is loaded, and brings along a client of schema registries.
 * The uplink uses neither. Its compression reads a WASM file beside it, which is not there in an executable.
 */

const UNUSED = /^(ajv|ajv-draft-04|avsc)(\/.*)?$/;
const IN_KAFKA = /[/\\]@platformatic[/\\]kafka[/\\]/;

/** A validator that finds nothing wrong, as far as the client calls it while it is loaded. */
const STUB = `
export class Ajv {
  addKeyword() { return this; }
  addMetaSchema() { return this; }
  compile() { return () => true; }
  errorsText() { return ""; }
}
export { Ajv as Ajv2020 };
export default Ajv;
`;

export const kafkaPlugin: BunPlugin = {
  name: "kafka",
  setup(build) {
    build.onResolve({ filter: UNUSED }, ({ path, importer }) =>
      IN_KAFKA.test(importer) ? { path, namespace: "kafka-stub" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "kafka-stub" }, () => ({ contents: STUB, loader: "js" }));
    build.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, ({ importer }) => ({
      path: Bun.resolveSync("@platformatic/wasm-utils/bundled", importer),
    }));
  },
};
