/**
 * Framing of requests and responses: after the MBAP header of TCP (MODBUS Messaging on TCP/IP V1.0b), or as the frames of a serial line with their
 * checksum (MODBUS over Serial Line V1.02), which serial device servers pass on unchanged over TCP.
 */
import type { ModbusFraming } from "./modbus-lists.ts";
import { ModbusProtocolError } from "./modbus-pdu.ts";

export interface ModbusFrame {
  /** 0 for a serial line, which has no transactions. */
  readonly transaction: number;
  readonly unitId: number;
  readonly pdu: Uint8Array;
}

/** Encodes requests, and assembles responses from the bytes of a connection. */
export interface FrameCodec {
  encode(frame: ModbusFrame): Uint8Array;
  /** Returns the next response; undefined until more bytes arrive. @throws ModbusProtocolError */
  next(): ModbusFrame | undefined;
  add(chunk: Uint8Array): void;
  /** Called with each request: a serial line may echo it. */
  sent(frame: Uint8Array): void;
  /** Discards bytes of responses to earlier requests. */
  clear(): void;
}

const MBAP_BYTES = 7;
/** Unit, function and exception after the header. Some devices write a different length into the header. */
const EXCEPTION_BYTES = 9;
const EXCEPTION_FLAG = 0x80;
const PDU_BYTES_MAX = 253;
/** Unit, function, and either the exception or the number of following bytes. */
const RTU_HEAD_BYTES = 3;
const CRC_BYTES = 2;
const READ_FUNCTION_MAX = 4;
const WRITE_COIL = 5;
const WRITE_REGISTER = 6;
const WRITE_RESPONSE_BYTES = 6;

/** Returns the checksum of serial frames: CRC-16 with the polynomial 0xA001 (appendix B of the specification). */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

class TcpFrames implements FrameCodec {
  #bytes: Buffer = Buffer.alloc(0);

  sent(): void {
    // A network echoes nothing.
  }

  encode({ transaction, unitId, pdu }: ModbusFrame): Uint8Array {
    const frame = Buffer.alloc(MBAP_BYTES + pdu.length);
    frame.writeUInt16BE(transaction, 0);
    frame.writeUInt16BE(pdu.length + 1, 4);
    frame.writeUInt8(unitId, 6);
    frame.set(pdu, MBAP_BYTES);
    return frame;
  }

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  next(): ModbusFrame | undefined {
    const bytes = this.#bytes;
    if (bytes.length < MBAP_BYTES) return undefined;
    const isException =
      bytes.length >= EXCEPTION_BYTES && (bytes.readUInt8(MBAP_BYTES) & EXCEPTION_FLAG) !== 0;
    const length = isException ? EXCEPTION_BYTES - MBAP_BYTES + 1 : bytes.readUInt16BE(4);
    if (bytes.readUInt16BE(2) !== 0 || length < 3 || length > PDU_BYTES_MAX + 1)
      throw new ModbusProtocolError("the response does not have the header of Modbus TCP");
    const end = MBAP_BYTES - 1 + length;
    if (bytes.length < end) return undefined;
    this.#bytes = bytes.subarray(end);
    return {
      transaction: bytes.readUInt16BE(0),
      unitId: bytes.readUInt8(6),
      pdu: bytes.subarray(MBAP_BYTES, end),
    };
  }
}

class RtuFrames implements FrameCodec {
  #bytes: Buffer = Buffer.alloc(0);
  /** Last request, until its echo or the start of a response arrives. */
  #sent: Buffer | undefined;
  /** True if the line echoes requests: the response to a write of one value equals its echo. */
  #isEchoing = false;

  encode({ unitId, pdu }: ModbusFrame): Uint8Array {
    const frame = Buffer.alloc(1 + pdu.length + CRC_BYTES);
    frame.writeUInt8(unitId, 0);
    frame.set(pdu, 1);
    frame.writeUInt16LE(crc16(frame.subarray(0, -CRC_BYTES)), frame.length - CRC_BYTES);
    return frame;
  }

  sent(frame: Uint8Array): void {
    this.#sent = Buffer.from(frame);
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  /** Removes the echo of the request from the bytes. Returns false while the bytes may still be an echo. */
  #skipEcho(): boolean {
    const sent = this.#sent;
    const isWriteOfOne = sent !== undefined && (sent[1] === WRITE_COIL || sent[1] === WRITE_REGISTER);
    if (sent === undefined || (isWriteOfOne && !this.#isEchoing)) return true;
    const begin = this.#bytes.subarray(0, sent.length);
    if (!begin.equals(sent.subarray(0, begin.length))) {
      this.#sent = undefined;
      return true;
    }
    if (begin.length < sent.length) return false;
    this.#bytes = this.#bytes.subarray(sent.length);
    this.#sent = undefined;
    this.#isEchoing = true;
    return true;
  }

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  next(): ModbusFrame | undefined {
    if (!this.#skipEcho()) return undefined;
    const bytes = this.#bytes;
    if (bytes.length < RTU_HEAD_BYTES) return undefined;
    const functionCode = bytes.readUInt8(1);
    const isException = functionCode > 0x80;
    const data =
      functionCode <= READ_FUNCTION_MAX ? RTU_HEAD_BYTES + bytes.readUInt8(2) : WRITE_RESPONSE_BYTES;
    const length = (isException ? RTU_HEAD_BYTES : data) + CRC_BYTES;
    if (bytes.length < length) return undefined;
    const frame = bytes.subarray(0, length);
    this.#bytes = bytes.subarray(length);
    const body = frame.subarray(0, -CRC_BYTES);
    if (crc16(body) !== frame.readUInt16LE(length - CRC_BYTES))
      throw new ModbusProtocolError("the checksum of the response is wrong");
    return { transaction: 0, unitId: body.readUInt8(0), pdu: body.subarray(1) };
  }
}

export const createFrameCodec = (framing: ModbusFraming): FrameCodec =>
  framing === "TCP" ? new TcpFrames() : new RtuFrames();
