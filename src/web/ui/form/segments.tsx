interface SegmentsProps<Id extends string> {
  label: string;
  items: readonly { id: Id; text: string }[];
  current: Id | undefined;
  onSelect: (id: Id) => void;
}

/** Segmented control below its label, for forms. */
export function LabelledSegments<Id extends string>(props: SegmentsProps<Id>) {
  return (
    <div class="flex flex-col gap-1.5">
      <span class="text-sm font-medium" aria-hidden="true">
        {props.label}
      </span>
      <Segments {...props} />
    </div>
  );
}

export function Segments<Id extends string>(props: SegmentsProps<Id>) {
  return (
    <fieldset class="join max-w-full min-w-0 overflow-x-auto p-0.5 -m-0.5" aria-label={props.label}>
      {props.items.map(({ id, text }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === props.current}
          class={`btn btn-sm join-item max-xs:px-2.5 ${id === props.current ? "btn-neutral" : ""}`}
          onClick={() => props.onSelect(id)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
