import { DomainError } from "../../lib/domain-error.ts";
import { invariant } from "../../lib/invariant.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ChildRef } from "../devices/devices.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { GatewaySessions } from "./gateway-sessions.ts";

interface GatewayChildrenDeps {
  readonly children: Pick<DevicesService["children"], "ensureChildren">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly sessions: Pick<GatewaySessions, "find" | "reported">;
  /** Resolves once the children made so far are on the disk. */
  readonly durable: () => Promise<void>;
  /** A child is there now: what waits for it may go out. */
  readonly onReachable: (child: IngestDevice) => void;
}

/** Children as their gateways name them, made on first sight and connected by being spoken of. */
export class GatewayChildren {
  readonly #deps: GatewayChildrenDeps;
  /** Children that were made and are not on the disk yet: no point of theirs may be acknowledged before. */
  #saving: Promise<void> | undefined;

  constructor(deps: GatewayChildrenDeps) {
    this.#deps = deps;
  }

  /** Returns a child, or the reason why there is none, for each name. */
  children(gateway: IngestDevice, refs: readonly ChildRef[]): Array<IngestDevice | DomainError> {
    const { children, directory, sessions, onReachable } = this.#deps;
    const sessionDevices = refs.map(({ name }) => sessions.find(gateway, name));
    const others = refs.filter((_, index) => sessionDevices[index] === undefined);
    const found = others.length === 0 ? [] : children.ensureChildren(gateway, others);
    if (others.length > 0) this.#save();
    return sessionDevices
      .map((child) => child ?? found.shift())
      .map((child) => {
        invariant(child !== undefined, "there is a child, or an error, for each that was asked for");
        if (child instanceof DomainError) return child;
        const device = typeof child === "string" ? directory.find(child) : child;
        invariant(device !== undefined, "a child that was just found or made exists");
        if (sessions.reported(gateway, device)) onReachable(device);
        return device;
      });
  }

  /** @throws DomainError if there is no child of this name, and none can be made */
  child(gateway: IngestDevice, ref: ChildRef): IngestDevice {
    const [child] = this.children(gateway, [ref]);
    invariant(child !== undefined, "one child for one name");
    if (child instanceof DomainError) throw child;
    return child;
  }

  /** Resolves when what a message has begun is on the disk, and the children that it may have made. */
  allOf(commits: Iterable<Promise<void>>): Promise<void> {
    const waiting = new Set(commits);
    if (this.#saving !== undefined) waiting.add(this.#saving);
    const [first, ...others] = waiting;
    if (first === undefined) return Promise.resolve();
    return others.length === 0 ? first : Promise.all(waiting).then(() => undefined);
  }

  #save(): void {
    const saved = this.#deps.durable().finally(() => {
      if (this.#saving === saved) this.#saving = undefined;
    });
    saved.catch(() => undefined); // whoever waits for it hears of it
    this.#saving = saved;
  }
}
