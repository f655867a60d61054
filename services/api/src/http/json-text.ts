/** A body that is already JSON, and goes out as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
