/** Value as JSON that is passed on without being parsed, because values of many parts take many times their room when they are parsed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns an object whose members are JSON. */
  static object(members: ReadonlyArray<readonly [name: string, json: string]>): JsonText {
    return new JsonText(`{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`);
  }
}
