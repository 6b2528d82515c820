/// <reference lib="webworker" />
import type { StoreRequest } from "./store.protocol.ts";
import { WorkerService } from "./worker-service.ts";

const service = new WorkerService((reply, transfer = []) => postMessage(reply, { transfer }));
addEventListener("message", (event: MessageEvent<StoreRequest>) => service.handle(event.data));
