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
  /** Resolves once all children created so far are on the disk. */
  readonly durable: () => Promise<void>;
  /** Called when a child has connected, so that messages waiting for it can be sent. */
  readonly onReachable: (child: IngestDevice) => void;
}

/** Resolves the names of children in gateway messages. The first message that names a child creates it, and each message connects it. */
export class GatewayChildren {
  readonly #deps: GatewayChildrenDeps;
  /** Created children that are not on the disk yet: their points must not be acknowledged before. */
  #saving: Promise<void> | undefined;

  constructor(deps: GatewayChildrenDeps) {
    this.#deps = deps;
  }

  /** Returns a child or an error for each name. */
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

  /** @throws DomainError if there is no child with this name and it cannot be created */
  child(gateway: IngestDevice, ref: ChildRef): IngestDevice {
    const [child] = this.children(gateway, [ref]);
    invariant(child !== undefined, "one child for one name");
    if (child instanceof DomainError) throw child;
    return child;
  }

  /** Resolves once a message's writes and the children that it created are on the disk. */
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
    saved.catch(() => undefined); // the waiting messages handle the error
    this.#saving = saved;
  }
}
