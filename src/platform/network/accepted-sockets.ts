import { FFIType, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import type { AddressBits } from "../../lib/network/ip-range.ts";
import { openLibc } from "../process/libc.ts";

/**
 * Sockets of this process by file descriptor. The HTTP server of Bun reveals requests but no connections, so connections without a request are found
 * and closed here.
 */
export interface AcceptedSockets {
  /** Returns all open file descriptors. */
  descriptors(): number[];
  /** Returns the socket address of the peer in the form of the kernel, valid until the next call; undefined if the descriptor is not a connection. */
  peerOf(descriptor: number): Uint8Array | undefined;
  localPortOf(descriptor: number): number | undefined;
  /** Returns the bytes received from the peer and the bytes acknowledged by it; zeros if the kernel does not report them. */
  trafficOf(descriptor: number): { readonly received: number; readonly answered: number };
  /** Returns whether received bytes are unread. */
  hasUnread(descriptor: number): boolean;
  /** Sets the buffer of received bytes of a listening socket, which connections that it accepts from now on inherit. */
  limitReceived(listener: number, bytes: number): void;
  /** Ends both directions. The server notices it and closes the descriptor. */
  shutdown(descriptor: number): void;
}

/** Linux: sockaddr_in is family, port and 4 bytes; sockaddr_in6 is family, port, flow and 16 bytes. */
const AF_INET = 2;
const AF_INET6 = 10;
const SOCKADDR_BYTES_MAX = 128;
const MSG_PEEK = 2;
const MSG_DONTWAIT = 0x40;
const SHUT_RDWR = 2;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** Offsets in struct tcp_info (linux/tcp.h) of `tcpi_bytes_acked` and `tcpi_bytes_received`, 64 bits each, since Linux 4.1. */
const BYTES_ACKED_AT = 120;
const BYTES_RECEIVED_AT = 128;
const TCP_INFO_BYTES = 256;
const MAPPED_IPV4 = 0xffffn << 32n;

const familyOf = (address: Uint8Array) => (address[0] ?? 0) | ((address[1] ?? 0) << 8);
export const portOf = (address: Uint8Array): number => ((address[2] ?? 0) << 8) | (address[3] ?? 0);
const bitsOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

export function addressOf(socketAddress: Uint8Array): AddressBits {
  return familyOf(socketAddress) === AF_INET
    ? MAPPED_IPV4 | bitsOf(socketAddress.subarray(4, 8))
    : bitsOf(socketAddress.subarray(8, 24));
}

const isInternet = (address: Uint8Array) => familyOf(address) === AF_INET || familyOf(address) === AF_INET6;

/** Memory with a fixed address: without its own buffer, a small typed array moves as soon as its buffer is requested. */
const fixedBytes = (length: number) => new Uint8Array(new ArrayBuffer(length));

/** Opens the view of accepted sockets; undefined on systems other than Linux, or without /proc or a C library. */
export function openAcceptedSockets(): AcceptedSockets | undefined {
  if (process.platform !== "linux") return undefined;
  const libc = openLibc({
    getpeername: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    getsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
    setsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i32,
    },
    recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64_fast },
    shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  });
  const descriptors = () => readdirSync("/proc/self/fd").map(Number);
  try {
    descriptors();
  } catch {
    return undefined;
  }
  if (libc === undefined) return undefined;
  /** Creates a reader for one of the two functions, with a result buffer of its own. */
  const reader = (name: typeof libc.getpeername) => {
    const address = fixedBytes(SOCKADDR_BYTES_MAX);
    const length = new Int32Array(fixedBytes(4).buffer);
    const [toAddress, toLength] = [ptr(address), ptr(length)];
    return (descriptor: number): Uint8Array | undefined => {
      length[0] = SOCKADDR_BYTES_MAX;
      if (name(descriptor, toAddress, toLength) !== 0 || !isInternet(address)) return undefined;
      return address.subarray(0, length[0]);
    };
  };
  const localOf = reader(libc.getsockname);
  const info = new DataView(fixedBytes(TCP_INFO_BYTES).buffer);
  const infoLength = new Int32Array(fixedBytes(4).buffer);
  const [toInfo, toInfoLength] = [ptr(info), ptr(infoLength)];
  const peeked = fixedBytes(1);
  const toPeeked = ptr(peeked);
  const size = new Int32Array(fixedBytes(4).buffer);
  const toSize = ptr(size);
  return {
    descriptors,
    peerOf: reader(libc.getpeername),
    localPortOf(descriptor) {
      const local = localOf(descriptor);
      return local && portOf(local);
    },
    trafficOf(descriptor) {
      infoLength[0] = TCP_INFO_BYTES;
      const isKnown = libc.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, toInfo, toInfoLength) === 0;
      if (!isKnown || infoLength[0] < BYTES_RECEIVED_AT + 8) return { received: 0, answered: 0 };
      const readAt = (offset: number) => Number(info.getBigUint64(offset, true));
      return { received: readAt(BYTES_RECEIVED_AT), answered: readAt(BYTES_ACKED_AT) };
    },
    hasUnread: (descriptor) => Number(libc.recv(descriptor, toPeeked, 1, MSG_PEEK | MSG_DONTWAIT)) > 0,
    limitReceived(listener, bytes) {
      size[0] = bytes;
      libc.setsockopt(listener, SOL_SOCKET, SO_RCVBUF, toSize, size.byteLength);
    },
    shutdown: (descriptor) => void libc.shutdown(descriptor, SHUT_RDWR),
  };
}
