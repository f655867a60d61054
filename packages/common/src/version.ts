/** The release that this code is; the root package.json says the same. */
export const VERSION = '0.1.0'
