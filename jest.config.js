const common = {
  testEnvironment: 'node',
  // Explicit roots keep jest's crawl out of .data and .services, whose files come and go while it looks.
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/scripts', '<rootDir>/bench'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { swcrc: false, jsc: { target: 'es2023', parser: { syntax: 'typescript' } } },
    ],
  },
}

export default {
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'main',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['\\.kill\\.test\\.ts$', '/node_modules/'],
    },
    // Tests that stop, kill or wipe servers start servers of their own and run in one worker.
    { ...common, displayName: 'kill', testMatch: ['**/*.kill.test.ts'] },
  ],
}
