/** The store's worker, which dies between two of its tasks when told so: nothing is finished, nothing is closed. */
import "../../../../src/modules/telemetry/store/store.worker.ts";

const channel = new BroadcastChannel("store-crash");
channel.addEventListener("message", (event: MessageEvent<string>) => {
  if (event.data !== "die") return;
  channel.postMessage("dead");
  process.exit(0);
});
