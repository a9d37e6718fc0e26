#pragma once
/// TESSERA_SANITIZED: whether a sanitizer watches addresses, which reserves terabytes of them and says more of a crash
/// than we do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TESSERA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TESSERA_SANITIZED 1
#endif
#endif
#ifndef TESSERA_SANITIZED
#define TESSERA_SANITIZED 0
#endif
