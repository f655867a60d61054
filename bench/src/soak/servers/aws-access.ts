export const REGION = 'eu-west-1'

/** The servers here ask nobody who he is. */
export const ACCESS_KEY = { key: 'AKIAEXAMPLE', secret: 'an-example' }
