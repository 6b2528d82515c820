/** Parts of the library that the gateway uses, including internal ones, which are fixed by its pinned version. */
declare module "nodes7" {
  interface RequestPart {
    readonly errCode: string | undefined;
    readonly writeResponse: number | undefined;
  }

  interface Item {
    readonly useraddr: string;
    readonly requestReference: readonly RequestPart[];
    readonly addr: string;
    readonly dbNumber: number;
    readonly offset: number;
    readonly arrayLength: number;
    readonly byteLength: number;
    readonly byteLengthWithFill: number;
    readonly byteBuffer: Buffer;
    readonly qualityBuffer: Buffer;
    readonly writeBuffer: Buffer;
    readonly writeQualityBuffer: Buffer;
    clone(): Item;
  }

  interface Packet {
    readonly seqNum: number;
    readonly sent: boolean;
    readonly rcvd: boolean;
  }

  export default class NodeS7 {
    constructor(options: { silent: boolean });

    /** 4 means connected. */
    isoConnectionState: number;
    /** Max. bytes of a packet and max. packets in flight, as negotiated with the controller. */
    maxPDU: number;
    maxParallel: number;
    doNotOptimize: boolean;
    polledReadBlockList: Item[];
    globalReadBlockList: readonly Item[];
    globalWriteBlockList: readonly Item[];
    readonly readPacketArray: readonly Packet[];
    readonly writePacketArray: readonly Packet[];
    reconnectTimer: ReturnType<typeof setTimeout> | undefined;
    rereadTimer: ReturnType<typeof setTimeout> | undefined;
    resetTimeout: ReturnType<typeof setTimeout> | undefined;

    initiateConnection(
      options: { host: string; port: number; rack: number; slot: number; timeout: number },
      done: (error?: unknown) => void,
    ): void;
    addItems(addresses: readonly string[]): void;
    /** Adds what `addItems` has noted, before the next read. */
    addItemsNow(addresses: readonly string[]): void;
    removeItems(): void;
    readAllItems(done: (isAnyBad: boolean, values: Record<string, unknown>) => void): void;
    writeItems(address: string, value: unknown, done: (isAnyBad: boolean) => void): number;

    onISOConnectReply(data: Buffer): void;
    onPDUReply(data: Buffer): void;
    onResponse(data: Buffer): void;
    onClientDisconnect(): void;
    onClientClose(): void;
    connectNow(options: unknown): void;
    connectError(error: unknown): void;
    readWriteError(error: unknown): void;
    packetTimeout(kind: string): void;
    connectionReset(): void;
    connectionCleanup(): void;
  }
}
