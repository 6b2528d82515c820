import { type DomainError, invalid } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceIngest, IngestDevice, IngestSource } from "../ingest/ingest.types.ts";
import type { ChildPart } from "./gateway-body.ts";

/** Refusals of one message that are listed on the gateway one by one; the others are counted. */
const LISTED_MAX = 20;
const SAMPLE_BYTES = 256;

/** Transport and topic of a message. */
interface Origin {
  readonly source: IngestSource;
  readonly topic: string;
}

/** Lists what gateways say wrong, where a person looks for it: on the child that it is about, else on the gateway. */
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
      /** Lists what is to be said of a part that is not refused. */
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
        /** The first of them, if any. */
        end(): DomainError | undefined {
          const more = onGateway - LISTED_MAX;
          if (more > 0) list(gateway, origin, invalid("gateway.refused", { count: more }));
          return first;
        },
      };
    },
  };
}

/** Returns the start of a part, for the person who has to find the mistake. */
function sampleOf(value: unknown): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify(value)?.slice(0, SAMPLE_BYTES) ?? "");
  } catch {
    return undefined; // CBOR holds more than JSON can say
  }
}
