import { Radio } from "../../ui/form/choice.tsx";
import { DevicePicker } from "./device-picker.tsx";

interface Props {
  readonly title?: string;
  /** Texts of the two options, with hints. */
  readonly all: readonly [text: string, hint?: string | undefined];
  readonly some: readonly [text: string, hint?: string | undefined];
  /** Undefined for all devices. */
  readonly selected: readonly string[] | undefined;
  readonly onChange: (selected: string[] | undefined) => void;
  readonly problem?: string | undefined;
}

/** All devices, or a selection by name. */
export function DeviceScope({ title, all, some, selected, onChange, problem }: Props) {
  return (
    <fieldset class="flex flex-col gap-3">
      {title !== undefined && <legend class="mb-2 text-sm font-medium">{title}</legend>}
      <Radio
        name="devices"
        checked={selected === undefined}
        hint={all[1]}
        onChange={() => onChange(undefined)}
      >
        {all[0]}
      </Radio>
      <Radio name="devices" checked={selected !== undefined} hint={some[1]} onChange={() => onChange([])}>
        {some[0]}
      </Radio>
      {selected && <DevicePicker selected={selected} onChange={onChange} />}
      {problem !== undefined && (
        <p role="alert" class="text-sm text-error">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
