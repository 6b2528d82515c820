import { Plus, RefreshCw } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { BYTE_ORDERS, type ByteOrder, isBitArea, REGISTER_AREAS } from "../../../lib/modbus/modbus-lists.ts";
import { ApiError } from "../../platform/api-client.ts";
import { formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import { type ModbusConnection, type ModbusUnit, modbusApi, type RegisterRange } from "./modbus-api.ts";
import { exceptionText } from "./modbus-texts.ts";

/** Register word in the notations that manuals use. */
interface WordView {
  readonly hex: string;
  readonly unsigned: number;
  readonly signed: number;
  /** Combined with the next word; undefined for the last one. */
  readonly float32: number | undefined;
  readonly int32: number | undefined;
}

const swapped = (word: number): number => ((word & 0xff) << 8) | (word >> 8);

/** Combines two words to a 32-bit number in a byte order. */
function pairOf(first: number, second: number, order: ByteOrder): DataView {
  const isWordSwap = order === "CDAB" || order === "DCBA";
  const isByteSwap = order === "BADC" || order === "DCBA";
  const words = isWordSwap ? [second, first] : [first, second];
  const view = new DataView(new ArrayBuffer(4));
  for (const [index, word] of words.entries()) view.setUint16(index * 2, isByteSwap ? swapped(word) : word);
  return view;
}

/** Significant decimal digits of a 32-bit float. */
const FLOAT_DIGITS = 7;

export function viewOf(words: readonly number[], index: number, order: ByteOrder): WordView {
  const word = words[index] ?? 0;
  const next = words[index + 1];
  const pair = next === undefined ? undefined : pairOf(word, next, order);
  const isByteSwap = order === "BADC" || order === "DCBA";
  const own = isByteSwap ? swapped(word) : word;
  return {
    hex: word.toString(16).toUpperCase().padStart(4, "0"),
    unsigned: own,
    signed: own > 0x7fff ? own - 0x1_0000 : own,
    float32: pair && Number(pair.getFloat32(0).toPrecision(FLOAT_DIGITS)),
    int32: pair?.getInt32(0),
  };
}

const REFRESH_MS = 1_000;
const COUNT_MAX = 125;

interface ReadResult {
  readonly range: RegisterRange;
  readonly values: readonly number[];
}

/** Reads any registers of a connection, to compare them with a manual. */
export function RegisterBrowser(props: { connection: ModbusConnection; units: readonly ModbusUnit[] }) {
  const { connectionId, state } = props.connection;
  const [range, setRange] = useState<RegisterRange>({
    unitId: props.units[0]?.unitId ?? 1,
    area: "HOLDING_REGISTER",
    address: 0,
    count: 10,
  });
  const [isLive, setLive] = useState(false);
  const [response, setResponse] = useState<ReadResult | undefined>(undefined);
  const { busy, error, run } = useAction();
  const read = () =>
    run(async () => setResponse({ range, values: (await modbusApi.read(connectionId, range)).values }));
  const isOpen = state.status === "connected";
  useEffect(() => {
    if (!isLive || !isOpen || busy) return;
    const timer = setTimeout(() => !document.hidden && read(), REFRESH_MS);
    return () => clearTimeout(timer);
  }, [isLive, isOpen, busy, range]);
  return (
    <Section id="modbus-browser" title={t("modbus.browser")} hint={t("modbus.browserHint")}>
      <form
        class="flex flex-col gap-4"
        data-testid="browser"
        onSubmit={(e) => {
          e.preventDefault();
          read();
        }}
      >
        <RangeFields range={range} onChange={(changes) => setRange({ ...range, ...changes })} />
        <div class="flex flex-wrap items-center gap-x-6 gap-y-3">
          <button type="submit" class="btn btn-primary btn-sm" disabled={!isOpen || (busy && !isLive)}>
            <RefreshCw size={16} aria-hidden="true" />
            {t("modbus.read")}
          </button>
          <Checkbox checked={isLive} onCheck={setLive}>
            {t("modbus.everySecond")}
          </Checkbox>
          {!isOpen && <span class="text-sm text-warning">{t("modbus.notOpen")}</span>}
        </div>
      </form>
      {error !== undefined && <ReadError error={error} />}
      {response && <Registers response={response} connectionId={connectionId} units={props.units} />}
    </Section>
  );
}

function RangeFields(props: { range: RegisterRange; onChange: (changes: Partial<RegisterRange>) => void }) {
  const { range, onChange } = props;
  const numbers = [
    ["unitId", t("modbus.unitId"), 0, 255],
    ["address", t("common.address"), 0, 65_535],
    ["count", t("modbus.countField"), 1, COUNT_MAX],
  ] as const;
  const field = ([name, label, min, max]: (typeof numbers)[number]) => (
    <TextField
      key={name}
      label={label}
      type="number"
      required
      min={min}
      max={max}
      defaultValue={String(range[name])}
      onText={(text) => text !== "" && onChange({ [name]: Number(text) })}
    />
  );
  return (
    <div class="grid grid-cols-2 gap-4 sm:grid-cols-[1fr_2fr_1fr_1fr]">
      {field(numbers[0])}
      <SelectField
        label={t("modbus.area")}
        value={range.area}
        options={REGISTER_AREAS}
        text={(area) => t(`modbusArea.${area}`)}
        onSelect={(chosen) =>
          onChange({
            area: chosen,
          })
        }
      />
      {numbers.slice(1).map(field)}
    </div>
  );
}

function ReadError({ error }: { error: unknown }) {
  const text = error instanceof ApiError ? error.text : undefined;
  if (text?.code !== "modbus.exception") return <ErrorNote error={error} />;
  return (
    <p role="alert" class="border-l-4 border-l-error pl-3">
      {exceptionText(Number(text.params.code))}
    </p>
  );
}

interface RegistersProps {
  readonly response: ReadResult;
  readonly connectionId: string;
  readonly units: readonly ModbusUnit[];
}

function Registers({ response, connectionId, units }: RegistersProps) {
  const { range, values } = response;
  const [order, setOrder] = useState<ByteOrder>("ABCD");
  const unit = units.find(({ unitId }) => unitId === range.unitId);
  const hrefOf = (address: number) =>
    `/modbus/${connectionId}/${unit?.modbusUnitId ?? "new"}?unit=${range.unitId}&area=${range.area}&address=${address}`;
  const isBits = isBitArea(range.area);
  return (
    <>
      {!isBits && (
        <div class="max-w-xs">
          <SelectField
            label={t("modbus.order")}
            value={order}
            options={BYTE_ORDERS}
            text={(name) => t(`modbusOrder.${name}`)}
            onSelect={(chosen) => setOrder(chosen)}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
      <section class="max-h-[32rem] overflow-auto" tabIndex={0} aria-label={t("modbus.contents")}>
        <table class="table table-sm">
          <thead class="text-soft">
            <tr>
              <th scope="col" class={NARROW}>
                <span class="sr-only">{t("modbus.addRegister")}</span>
              </th>
              <th scope="col" class={NARROW}>
                {t("common.address")}
              </th>
              {isBits ? <th scope="col">{t("common.value")}</th> : <WordHeads />}
            </tr>
          </thead>
          <tbody class="reading">
            {values.map((value, index) => (
              <tr key={range.address + index}>
                <td class={NARROW}>
                  <a
                    class="btn btn-ghost btn-xs"
                    href={hrefOf(range.address + index)}
                    aria-label={t("modbus.addRegisterOf", { address: range.address + index })}
                    title={t("modbus.addRegisterOf", { address: range.address + index })}
                  >
                    <Plus size={14} aria-hidden="true" />
                  </a>
                </td>
                <th scope="row" class={`font-normal ${NARROW}`}>
                  {range.address + index}
                </th>
                {isBits ? <td>{value}</td> : <WordCells values={values} index={index} order={order} />}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Class of narrow cells for a phone. */
const NARROW = "px-1.5 sm:px-3";
const classOf = (head: string): string =>
  `text-right whitespace-nowrap ${NARROW} ${head === "hex" ? "max-sm:hidden" : ""}`;

const HEADS = ["hex", "unsigned", "signed", "int32", "float32"] as const;

const WordHeads = () =>
  HEADS.map((head) => (
    <th key={head} scope="col" class={classOf(head)}>
      {t(`modbusView.${head}`)}
    </th>
  ));

function WordCells(props: { values: readonly number[]; index: number; order: ByteOrder }) {
  const view = viewOf(props.values, props.index, props.order);
  return HEADS.map((head) => (
    <td key={head} class={classOf(head)}>
      {head === "float32" ? floatText(view.float32) : (view[head] ?? "–")}
    </td>
  ));
}

/** Limit below which numbers are probably noise of a wrong byte order, and too long for a column. */
const PLAIN_MIN = 1e-4;
const PLAIN_MAX = 1e9;

function floatText(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX)) return formatNumber(value);
  const [mantissa = "", exponent = ""] = value.toExponential(2).split("e");
  return `${formatNumber(Number(mantissa))}e${exponent}`;
}
