// What a plugin of another version looks like; a test loads it and reads the message.

extern "C" const char* tessera_plugin_version() { return "tessera 0.0.0 plugin 0"; }
extern "C" void tessera_plugin_register(void*) {}
