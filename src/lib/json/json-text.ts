/** Value as JSON that is passed on without being parsed, because values of many parts take many times their room when they are parsed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns an object of members whose values are JSON; those that are undefined are left out. */
  static object(members: ReadonlyArray<readonly [name: string, json: string | undefined]>): JsonText {
    const written = members.flatMap(([name, json]) =>
      json === undefined ? [] : [`${JSON.stringify(name)}:${json}`],
    );
    return new JsonText(`{${written.join()}}`);
  }
}
