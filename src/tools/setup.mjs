/**
 * `npm start` and `npm test` on a machine with only Node and npm. This file must load in every version of Node, so that it can tell users of an old
 * version what to do; `bootstrap.mjs` does the work.
 */
const NODE_MIN = 18;

if (Number(process.versions.node.split(".")[0]) < NODE_MIN) {
  console.error(
    `Lineside needs Node ${NODE_MIN} or newer, and this is Node ${process.versions.node}. Install a newer version, or use the executable, which does not need Node.`,
  );
  process.exit(1);
}
import("./bootstrap.mjs").catch((error) => {
  console.error(error);
  process.exit(1);
});
