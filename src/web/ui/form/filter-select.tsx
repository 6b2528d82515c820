interface Props {
  readonly label: string;
  /** Label of the choice without a filter. */
  readonly all: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly text: string }[];
  readonly onSelect: (id: string) => void;
  readonly class?: string;
}

/** A filter of a list; the empty value shows all. */
export function FilterSelect({
  label,
  all,
  value,
  options,
  onSelect,
  class: width = "w-36 max-sm:min-w-28 max-sm:flex-1",
}: Props) {
  return (
    <select
      class={`select select-sm ${width}`}
      aria-label={label}
      value={value}
      onChange={(e) => onSelect(e.currentTarget.value)}
    >
      <option value="">{all}</option>
      {options.map(({ id, text }) => (
        <option key={id} value={id} selected={id === value}>
          {text}
        </option>
      ))}
    </select>
  );
}
