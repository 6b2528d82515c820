import { type DomainError, invalid } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceIngest, IngestDevice, IngestSource } from "../ingest/ingest.types.ts";
import type { ChildPart } from "./gateway-body.ts";

/** Max. refusals of one message listed individually on the gateway; the others are counted. */
const LISTED_MAX = 20;
const SAMPLE_BYTES = 256;

/** Transport and topic of a message. */
interface Origin {
  readonly source: IngestSource;
  readonly topic: string;
}

/** Lists invalid parts of gateways' messages on the child concerned, otherwise on the gateway. */
export function createGatewayRefusals(deps: {
  ingest: Pick<DeviceIngest, "reject">;
  children: Pick<DevicesService["children"], "findChild">;
  directory: Pick<DeviceDirectory, "find">;
}) {
  const { ingest, children, directory } = deps;

  function list(device: IngestDevice, { source, topic }: Origin, reason: Text, sample?: Uint8Array) {
    const { code, params } = reason;
    const start = sample?.slice(0, SAMPLE_BYTES);
    ingest.reject(device, { source, where: topic, code, params, ...(start && { sample: start }) });
  }

  return {
    list,
    /** Collects the refusals of the parts of one message. */
    ofMessage(gateway: IngestDevice, origin: Origin) {
      let first: DomainError | undefined;
      let onGateway = 0;
      /** Lists a note on a part that was accepted. */
      function note([name, value]: ChildPart, reason: Text): void {
        const id = children.findChild(gateway, name);
        const child = id && directory.find(id);
        if (child !== undefined) list(child, origin, reason, sampleOf(value));
        else if (onGateway++ < LISTED_MAX)
          list(
            gateway,
            { ...origin, topic: `${origin.topic} (${name})` },
            reason,
            sampleOf({ [name]: value }),
          );
      }
      return {
        note,
        add(part: ChildPart, error: DomainError): void {
          first ??= error;
          note(part, error);
        },
        /** Ends the message. Returns the first refusal, if any. */
        end(): DomainError | undefined {
          const more = onGateway - LISTED_MAX;
          if (more > 0) list(gateway, origin, invalid("gateway.refused", { count: more }));
          return first;
        },
      };
    },
  };
}

/** Returns the beginning of a part, for troubleshooting. */
function sampleOf(value: unknown): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify(value)?.slice(0, SAMPLE_BYTES) ?? "");
  } catch {
    return undefined; // CBOR has values that JSON does not have
  }
}
