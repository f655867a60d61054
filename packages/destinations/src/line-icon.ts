/**
 * An inline SVG in the style of all types: 24 by 24, lines in the colour of the text around it.
 *
 * @param shapes - the elements inside
 */
export function lineIcon(shapes: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${shapes}</svg>`
}
